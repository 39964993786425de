; wants: a left
; a + 0 is not a: for -0
(define-sort F () (_ FloatingPoint 8 24))
(declare-const a (_ BitVec 32))
(declare-const left (_ BitVec 32))
(define-fun float ((x (_ BitVec 32))) F ((_ to_fp 8 24) x))
(assert (= (float left) (fp.add RNE (float a) (_ +zero 8 24))))
(assert (not (= left a)))
(assert (not (fp.isNaN (float a))))
