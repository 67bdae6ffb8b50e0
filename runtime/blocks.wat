;; Adds up rows of bytes.
(module
  (import "pictures" "memory" (memory 1))

  ;; Sums of bytes below each other, of up to 257 rows of `count` bytes, as 16 bits each from `to` on. Up to 15 bytes behind
  ;; each row are read, and the sums behind the last are written.
  (func (export "sums") (param $from i32) (param $count i32) (param $rows i32) (param $to i32)
    (local $low v128) (local $high v128) (local $row i32) (local $at i32) (local $left i32)
    (local.set $left (local.get $count))
    (block $end
      (loop $sixteen
        (br_if $end (i32.le_s (local.get $left) (i32.const 0)))
        (local.set $low (v128.const i32x4 0 0 0 0))
        (local.set $high (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $from))
        (local.set $row (local.get $rows))
        (loop $each
          (local.set $low
            (i16x8.add (local.get $low) (i16x8.extend_low_i8x16_u (v128.load (local.get $at)))))
          (local.set $high
            (i16x8.add (local.get $high) (i16x8.extend_high_i8x16_u (v128.load (local.get $at)))))
          (local.set $at (i32.add (local.get $at) (local.get $count)))
          (br_if $each (local.tee $row (i32.sub (local.get $row) (i32.const 1)))))
        (v128.store (local.get $to) (local.get $low))
        (v128.store offset=16 (local.get $to) (local.get $high))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (local.set $left (i32.sub (local.get $left) (i32.const 16)))
        (br $sixteen)))))
