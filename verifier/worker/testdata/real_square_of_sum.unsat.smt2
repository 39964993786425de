; (a + b)^2 = a^2 + 2ab + b^2
(declare-const a Real)
(declare-const b Real)
(assert (not (= (* (+ a b) (+ a b)) (+ (* a a) (* 2.0 a b) (* b b)))))
