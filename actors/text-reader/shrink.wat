;; Makes rows of RGB pixels smaller, in float32: first sums of rows, then of pixels beside each other.
(module
  (import "pictures" "memory" (memory 1))

  ;; Writes `taps` rows of `count` bytes, each `stride` bytes behind the one before and times its float at `weights`, as their
  ;; sum to floats from `to` on. Up to 15 bytes and floats behind are touched.
  (func (export "rows")
    (param $from i32) (param $stride i32) (param $taps i32) (param $weights i32) (param $count i32) (param $to i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $weight v128)
    (local $low v128) (local $high v128) (local $tap i32) (local $at i32)
    (block $end
      (loop $sixteen
        (br_if $end (i32.le_s (local.get $count) (i32.const 0)))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $c (v128.const i32x4 0 0 0 0))
        (local.set $d (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $from))
        (local.set $tap (i32.const 0))
        (loop $each
          (local.set $weight (v128.load32_splat (i32.add (local.get $weights) (i32.shl (local.get $tap) (i32.const 2)))))
          (local.set $high (v128.load (local.get $at)))
          (local.set $low (i16x8.extend_low_i8x16_u (local.get $high)))
          (local.set $high (i16x8.extend_high_i8x16_u (local.get $high)))
          (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $weight)
            (f32x4.convert_i32x4_u (i32x4.extend_low_i16x8_u (local.get $low))))))
          (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $weight)
            (f32x4.convert_i32x4_u (i32x4.extend_high_i16x8_u (local.get $low))))))
          (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $weight)
            (f32x4.convert_i32x4_u (i32x4.extend_low_i16x8_u (local.get $high))))))
          (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $weight)
            (f32x4.convert_i32x4_u (i32x4.extend_high_i16x8_u (local.get $high))))))
          (local.set $at (i32.add (local.get $at) (local.get $stride)))
          (local.set $tap (i32.add (local.get $tap) (i32.const 1)))
          (br_if $each (i32.lt_s (local.get $tap) (local.get $taps))))
        (v128.store (local.get $to) (local.get $a))
        (v128.store offset=16 (local.get $to) (local.get $b))
        (v128.store offset=32 (local.get $to) (local.get $c))
        (v128.store offset=48 (local.get $to) (local.get $d))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (local.set $to (i32.add (local.get $to) (i32.const 64)))
        (local.set $count (i32.sub (local.get $count) (i32.const 16)))
        (br $sixteen))))

  ;; `count` pixels of a row of floats (red, green, blue each) into one row of three planes. `firsts`: for each pixel the
  ;; address of the first of its `taps` pixels; `weights`: of each of them. `form`: factors, then summands, each of red,
  ;; green, blue and nothing. A float behind the row is read and not used.
  (func (export "columns")
    (param $firsts i32) (param $weights i32) (param $taps i32) (param $count i32) (param $form i32)
    (param $red i32) (param $green i32) (param $blue i32)
    (local $sum v128) (local $from i32) (local $tap i32) (local $factors v128) (local $summands v128)
    (local.set $factors (v128.load (local.get $form)))
    (local.set $summands (v128.load offset=16 (local.get $form)))
    (block $end
      (loop $pixel
        (br_if $end (i32.le_s (local.get $count) (i32.const 0)))
        (local.set $from (i32.load (local.get $firsts)))
        (local.set $tap (local.get $taps))
        (local.set $sum (v128.const f32x4 0 0 0 0))
        (loop $each
          (local.set $sum (f32x4.add (local.get $sum)
            (f32x4.mul (v128.load align=4 (local.get $from)) (v128.load32_splat (local.get $weights)))))
          (local.set $from (i32.add (local.get $from) (i32.const 12)))
          (local.set $weights (i32.add (local.get $weights) (i32.const 4)))
          (br_if $each (local.tee $tap (i32.sub (local.get $tap) (i32.const 1)))))
        (local.set $sum (f32x4.add (f32x4.mul (local.get $sum) (local.get $factors)) (local.get $summands)))
        (f32.store (local.get $red) (f32x4.extract_lane 0 (local.get $sum)))
        (f32.store (local.get $green) (f32x4.extract_lane 1 (local.get $sum)))
        (f32.store (local.get $blue) (f32x4.extract_lane 2 (local.get $sum)))
        (local.set $red (i32.add (local.get $red) (i32.const 4)))
        (local.set $green (i32.add (local.get $green) (i32.const 4)))
        (local.set $blue (i32.add (local.get $blue) (i32.const 4)))
        (local.set $firsts (i32.add (local.get $firsts) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $pixel)))))
