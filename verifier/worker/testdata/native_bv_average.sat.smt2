; wants: a b
; (a + b) >> 1 is not (a & b) + ((a ^ b) >> 1): the sum overflows
(declare-const a (_ BitVec 16))
(declare-const b (_ BitVec 16))
(assert (not (= (bvlshr (bvadd a b) #x0001) (bvadd (bvand a b) (bvlshr (bvxor a b) #x0001)))))
