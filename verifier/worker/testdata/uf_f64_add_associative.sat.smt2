; wants: a b c
; an uninterpreted commutative sum need not be associative
(declare-fun uadd ((_ BitVec 64) (_ BitVec 64)) (_ BitVec 64))
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
(declare-const c (_ BitVec 64))
(define-fun add ((x (_ BitVec 64)) (y (_ BitVec 64))) (_ BitVec 64) (ite (bvule x y) (uadd x y) (uadd y x)))
(assert (not (= (add (add a b) c) (add a (add b c)))))
