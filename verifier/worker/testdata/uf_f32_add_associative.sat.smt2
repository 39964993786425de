; wants: a b c
; an uninterpreted commutative sum need not be associative
(declare-fun uadd ((_ BitVec 32) (_ BitVec 32)) (_ BitVec 32))
(declare-const a (_ BitVec 32))
(declare-const b (_ BitVec 32))
(declare-const c (_ BitVec 32))
(define-fun add ((x (_ BitVec 32)) (y (_ BitVec 32))) (_ BitVec 32) (ite (bvule x y) (uadd x y) (uadd y x)))
(assert (not (= (add (add a b) c) (add a (add b c)))))
