; (a + b)^2 is not a^2 + b^2
(declare-const a Real)
(declare-const b Real)
(assert (not (= (* (+ a b) (+ a b)) (+ (* a a) (* b b)))))
