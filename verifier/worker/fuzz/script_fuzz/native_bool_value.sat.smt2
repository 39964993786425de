; wants: p a
; a Boolean among the wanted, and one value only
(declare-const p Bool)
(declare-const a (_ BitVec 5))
(assert (and p (= a #b10110)))
