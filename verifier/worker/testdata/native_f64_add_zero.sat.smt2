; wants: a left
; a + 0 is not a: for -0
(define-sort F () (_ FloatingPoint 11 53))
(declare-const a (_ BitVec 64))
(declare-const left (_ BitVec 64))
(define-fun float ((x (_ BitVec 64))) F ((_ to_fp 11 53) x))
(assert (= (float left) (fp.add RNE (float a) (_ +zero 11 53))))
(assert (not (= left a)))
(assert (not (fp.isNaN (float a))))
