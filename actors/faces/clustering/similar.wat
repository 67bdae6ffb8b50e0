;; Finds the values that reach a bar in a row of cosines. Memory is imported.
;;
;; Sixteen values are compared at once, because nearly all of them lose: the loop in JavaScript costs as much as a third of
;; the multiplication that made them.
(module
  (import "memory" "cosines" (memory 1 65536))

  ;; Writes the indices of the float32s from byte `values` on that are at least `least` to byte `out`, ascending, and answers
  ;; how many there are.
  (func (export "reaching")
    (param $values i32) (param $count i32) (param $least f32) (param $out i32) (result i32)
    (local $i i32) (local $last i32) (local $first i32) (local $mask i32) (local $bar v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $first (local.get $out))
    (local.set $bar (f32x4.splat (local.get $least)))
    (local.set $last (i32.and (local.get $count) (i32.const -16)))
    (block $blocks
      (loop $next
        (br_if $blocks (i32.ge_u (local.get $i) (local.get $last)))
        (local.set $a (f32x4.ge (v128.load (local.get $values)) (local.get $bar)))
        (local.set $b (f32x4.ge (v128.load offset=16 (local.get $values)) (local.get $bar)))
        (local.set $c (f32x4.ge (v128.load offset=32 (local.get $values)) (local.get $bar)))
        (local.set $d (f32x4.ge (v128.load offset=48 (local.get $values)) (local.get $bar)))
        (if (v128.any_true (v128.or
              (v128.or (local.get $a) (local.get $b)) (v128.or (local.get $c) (local.get $d))))
          (then
            (local.set $mask (i32.or
              (i32.or
                (i32x4.bitmask (local.get $a))
                (i32.shl (i32x4.bitmask (local.get $b)) (i32.const 4)))
              (i32.or
                (i32.shl (i32x4.bitmask (local.get $c)) (i32.const 8))
                (i32.shl (i32x4.bitmask (local.get $d)) (i32.const 12)))))
            (loop $bit
              (i32.store (local.get $out) (i32.add (local.get $i) (i32.ctz (local.get $mask))))
              (local.set $out (i32.add (local.get $out) (i32.const 4)))
              (br_if $bit (local.tee $mask
                (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))))))
        (local.set $values (i32.add (local.get $values) (i32.const 64)))
        (local.set $i (i32.add (local.get $i) (i32.const 16)))
        (br $next)))
    (block $rest
      (loop $one
        (br_if $rest (i32.ge_u (local.get $i) (local.get $count)))
        (if (f32.ge (f32.load (local.get $values)) (local.get $least))
          (then
            (i32.store (local.get $out) (local.get $i))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))))
        (local.set $values (i32.add (local.get $values) (i32.const 4)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $one)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $first)) (i32.const 2))))
