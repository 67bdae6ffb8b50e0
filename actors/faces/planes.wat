;; Takes the colours of RGB pixels apart into planes of float32, (value - mean) * factor each.
(module
  (import "pictures" "memory" (memory 1))

  (func $number (param $at i32) (param $mean f32) (param $factor f32) (result f32)
    (f32.mul (f32.sub (f32.convert_i32_u (i32.load8_u (local.get $at))) (local.get $mean)) (local.get $factor)))

  ;; `count` pixels from byte `from` on; the planes go to bytes `red`, `green` and `blue`. Up to 4 bytes behind the pixels
  ;; are read and not used.
  (func (export "planes")
    (param $from i32) (param $count i32) (param $red i32) (param $green i32) (param $blue i32)
    (param $mean f32) (param $factor f32)
    (local $pixels v128) (local $means v128) (local $factors v128)
    (local.set $means (f32x4.splat (local.get $mean)))
    (local.set $factors (f32x4.splat (local.get $factor)))
    ;; Four pixels at a time: a shuffle puts each byte of a colour into a lane of its own, zeros above it.
    (block $rest
      (loop $four
        (br_if $rest (i32.lt_s (local.get $count) (i32.const 4)))
        (local.set $pixels (v128.load (local.get $from)))
        (v128.store (local.get $red)
          (f32x4.mul (f32x4.sub
            (f32x4.convert_i32x4_u (i8x16.swizzle (local.get $pixels)
              (v128.const i8x16 0 255 255 255 3 255 255 255 6 255 255 255 9 255 255 255)))
            (local.get $means)) (local.get $factors)))
        (v128.store (local.get $green)
          (f32x4.mul (f32x4.sub
            (f32x4.convert_i32x4_u (i8x16.swizzle (local.get $pixels)
              (v128.const i8x16 1 255 255 255 4 255 255 255 7 255 255 255 10 255 255 255)))
            (local.get $means)) (local.get $factors)))
        (v128.store (local.get $blue)
          (f32x4.mul (f32x4.sub
            (f32x4.convert_i32x4_u (i8x16.swizzle (local.get $pixels)
              (v128.const i8x16 2 255 255 255 5 255 255 255 8 255 255 255 11 255 255 255)))
            (local.get $means)) (local.get $factors)))
        (local.set $from (i32.add (local.get $from) (i32.const 12)))
        (local.set $red (i32.add (local.get $red) (i32.const 16)))
        (local.set $green (i32.add (local.get $green) (i32.const 16)))
        (local.set $blue (i32.add (local.get $blue) (i32.const 16)))
        (local.set $count (i32.sub (local.get $count) (i32.const 4)))
        (br $four)))
    (block $end
      (loop $one
        (br_if $end (i32.eqz (local.get $count)))
        (f32.store (local.get $red) (call $number (local.get $from) (local.get $mean) (local.get $factor)))
        (f32.store (local.get $green)
          (call $number (i32.add (local.get $from) (i32.const 1)) (local.get $mean) (local.get $factor)))
        (f32.store (local.get $blue)
          (call $number (i32.add (local.get $from) (i32.const 2)) (local.get $mean) (local.get $factor)))
        (local.set $from (i32.add (local.get $from) (i32.const 3)))
        (local.set $red (i32.add (local.get $red) (i32.const 4)))
        (local.set $green (i32.add (local.get $green) (i32.const 4)))
        (local.set $blue (i32.add (local.get $blue) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $one)))))
