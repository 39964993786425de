"""Rows of sites out of a database, for tests: the program packs them (store/sites/site_block.cc)."""


def numbers_of(rows):
    """The numbers of a block of sites, 7 bits a byte, each read when it is asked for (store/sites/site_block.cc)."""
    value = shift = 0
    for byte in rows:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def sites(database):
    """Rows of sites that shaders have, out of their blocks."""
    shaders = dict(database.execute("SELECT sites_key, hex(digest) FROM shaders"))
    texts = dict(database.execute("SELECT id, text FROM strings"))
    for fragment, key, rows in database.execute("SELECT hex(digest), first_key, rows FROM site_blocks "
                                                "JOIN fragments ON fragments.id = fragment_id"):
        source, facts = iter(rows), 0
        while (tag := next(source, None)) is not None:
            numbers = numbers_of(source)
            key += next(numbers) if tag & 1 else 0
            flags = next(numbers) if tag & 2 else 0
            multi_use = next(numbers) if tag & 4 else 0
            facts = next(numbers) if tag & 8 else facts
            count, weight = (next(numbers), next(numbers)) if tag & 16 else (1, 1)
            lines, line = [], 0
            for _ in range(next(numbers) if tag >> 5 == 7 else tag >> 5):
                folded = next(numbers)
                line += (folded >> 1) ^ -(folded & 1)
                lines.append(str(line))
            if key in shaders:
                yield fragment, shaders[key], flags, multi_use, texts[facts], count, weight, " ".join(lines)
