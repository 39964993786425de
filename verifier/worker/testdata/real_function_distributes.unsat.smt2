; rcp(c) * a + rcp(c) * b = (a + b) * rcp(c) for every function rcp
(declare-fun rcp (Real) Real)
(declare-const a Real)
(declare-const b Real)
(declare-const c Real)
(assert (not (= (+ (* (rcp c) a) (* (rcp c) b)) (* (+ a b) (rcp c)))))
