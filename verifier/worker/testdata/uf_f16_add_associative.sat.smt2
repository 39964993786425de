; wants: a b c
; an uninterpreted commutative sum need not be associative
(declare-fun uadd ((_ BitVec 16) (_ BitVec 16)) (_ BitVec 16))
(declare-const a (_ BitVec 16))
(declare-const b (_ BitVec 16))
(declare-const c (_ BitVec 16))
(define-fun add ((x (_ BitVec 16)) (y (_ BitVec 16))) (_ BitVec 16) (ite (bvule x y) (uadd x y) (uadd y x)))
(assert (not (= (add (add a b) c) (add a (add b c)))))
