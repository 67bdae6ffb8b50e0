;; Compares pictures block by block.
(module
  (import "pictures" "memory" (memory 1))

  ;; 1 if in no block of 16 bytes of `rows` rows, at most 8, a byte differs by more than `most`, nor all of them
  ;; together by more than `sum`; otherwise 0. Up to 15 bytes behind each row are compared as well.
  (func (export "near")
    (param $one i32) (param $other i32) (param $stride i32) (param $rows i32) (param $sum i32) (param $most i32)
    (result i32)
    (local $left i32) (local $row i32) (local $a i32) (local $b i32)
    (local $bound v128) (local $difference v128) (local $largest v128) (local $sums v128)
    (local.set $bound (i8x16.splat (local.get $most)))
    (local.set $left (local.get $stride))
    (loop $block
      (local.set $a (local.get $one))
      (local.set $b (local.get $other))
      (local.set $row (local.get $rows))
      (local.set $largest (v128.const i32x4 0 0 0 0))
      (local.set $sums (v128.const i32x4 0 0 0 0))
      (loop $each
        (local.set $difference
          (v128.or
            (i8x16.sub_sat_u (v128.load (local.get $a)) (v128.load (local.get $b)))
            (i8x16.sub_sat_u (v128.load (local.get $b)) (v128.load (local.get $a)))))
        (local.set $largest (i8x16.max_u (local.get $largest) (local.get $difference)))
        (local.set $sums
          (i16x8.add (local.get $sums) (i16x8.extadd_pairwise_i8x16_u (local.get $difference))))
        (local.set $a (i32.add (local.get $a) (local.get $stride)))
        (local.set $b (i32.add (local.get $b) (local.get $stride)))
        (br_if $each (local.tee $row (i32.sub (local.get $row) (i32.const 1)))))
      (if (v128.any_true (i8x16.sub_sat_u (local.get $largest) (local.get $bound)))
        (then (return (i32.const 0))))
      (local.set $sums (i32x4.extadd_pairwise_i16x8_u (local.get $sums)))
      (if
        (i32.gt_u
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
            (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums))))
          (local.get $sum))
        (then (return (i32.const 0))))
      (local.set $one (i32.add (local.get $one) (i32.const 16)))
      (local.set $other (i32.add (local.get $other) (i32.const 16)))
      (br_if $block
        (i32.gt_s (local.tee $left (i32.sub (local.get $left) (i32.const 16))) (i32.const 0))))
    (i32.const 1)))
