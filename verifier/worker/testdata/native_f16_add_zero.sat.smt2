; wants: a left
; a + 0 is not a: for -0
(define-sort F () (_ FloatingPoint 5 11))
(declare-const a (_ BitVec 16))
(declare-const left (_ BitVec 16))
(define-fun float ((x (_ BitVec 16))) F ((_ to_fp 5 11) x))
(assert (= (float left) (fp.add RNE (float a) (_ +zero 5 11))))
(assert (not (= left a)))
(assert (not (fp.isNaN (float a))))
