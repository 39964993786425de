# The building blocks of the patterns below: objects that print themselves as they were written.
class Word:
    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name


class Operand:
    def __init__(self, text):
        self.text = text

    def subscript(self, part):
        return Operand("%s.subscript(%s)" % (self, part))

    def uniform(self):
        return Operand("%s.uniform()" % self)

    # The component order, such as "xyzw". 0, 1, or h (one half) can replace a component, and "-" negates it.
    def swizzle(self, order):
        return Operand("%s.swizzle(%s)" % (self, order))

    def mask(self, components):
        return Operand("%s.mask(%s)" % (self, components))

    def __neg__(self):
        return Operand("-%s" % self)

    def __invert__(self):
        return Operand("~%s" % self)

    def __abs__(self):
        return Operand("abs(%s)" % self)

    def __str__(self):
        return self.text


class Register(Word):
    def __call__(self, type):
        return Operand("%s(%s)" % (self, type))


class Modifier(Word):
    def __call__(self, operand):
        return Operand("%s(%s)" % (self, operand))


class TempReg:
    def __init__(self, name, type):
        self.name, self.type = name, type

    def __str__(self):
        return "TempReg('%s', %s)" % (self.name, self.type)


class Instruction:
    def __init__(self, mnemonic, operands):
        self.mnemonic, self.operands, self.methods = mnemonic, operands, []

    # Methods such as sat(), cmod(NZ), and predicate(NORMAL) modify the instruction on which they are called.
    def __getattr__(self, method):
        if method.startswith("__"):
            raise AttributeError(method)

        def call(*arguments):
            self.methods.append((method, arguments))
            return self

        return call

    def __str__(self):
        text = "%s(%s)" % (self.mnemonic, ", ".join(map(str, self.operands)))
        for method, arguments in self.methods:
            text += ".%s(%s)" % (method, ", ".join(map(str, arguments)))
        return text


class Opcode(Word):
    def __call__(self, *operands):
        return Instruction(self.name, operands)


# A shader constant whose value equals an expression over the pattern's other constants.
class constant:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return "constant(%r)" % (self.value,)


class InstructionList(list):
    def __str__(self):
        return "[%s]" % ", ".join(map(str, self))


def imm(value, type):
    return Operand("imm(%s, %s)" % (value, type))
