; (a >> 5) & 7 = ubfe(a, 5, 3)
(declare-const a (_ BitVec 32))
(assert (not (= (bvand (bvlshr a #x00000005) #x00000007) (concat #b00000000000000000000000000000 ((_ extract 7 5) a)))))
