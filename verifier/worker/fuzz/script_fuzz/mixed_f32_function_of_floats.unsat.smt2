; g(max(a, b)) = a < b ? g(b) : g(a) where g takes floats; no NaN, no zero
(declare-fun g ((_ FloatingPoint 8 24)) (_ FloatingPoint 8 24))
(declare-const a (_ BitVec 32))
(declare-const b (_ BitVec 32))
(define-fun float ((x (_ BitVec 32))) (_ FloatingPoint 8 24) ((_ to_fp 8 24) x))
(assert (not (= (g (fp.max (float a) (float b))) (ite (fp.lt (float a) (float b)) (g (float b)) (g (float a))))))
(assert (not (fp.isNaN (float a))))
(assert (not (fp.isNaN (float b))))
(assert (not (fp.isZero (float b))))
