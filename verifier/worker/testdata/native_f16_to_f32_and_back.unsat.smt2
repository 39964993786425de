; a half survives the way through single precision
(declare-const a (_ BitVec 16))
(define-fun half ((x (_ BitVec 16))) (_ FloatingPoint 5 11) ((_ to_fp 5 11) x))
(assert (not (= (half a) ((_ to_fp 5 11) RNE ((_ to_fp 8 24) RNE (half a))))))
