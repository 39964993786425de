; wants: a b product
; f(a) * f(b) is not f(a * b) for every f
(declare-fun f ((_ BitVec 32)) (_ BitVec 32))
(declare-const a (_ BitVec 32))
(declare-const b (_ BitVec 32))
(declare-const product (_ BitVec 32))
(define-fun float ((x (_ BitVec 32))) (_ FloatingPoint 8 24) ((_ to_fp 8 24) x))
(assert (= (float product) (fp.mul RNE (float a) (float b))))
(assert (not (= (float (f product)) (fp.mul RNE (float (f a)) (float (f b))))))
