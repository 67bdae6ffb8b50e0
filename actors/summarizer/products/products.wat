;; Multiplies rows of float32s with other rows. Memory is imported.
;;
;; Four rows of the right share each load of the left, and four sums keep additions from waiting for each other. Rows are
;; filled up with zeros to whole vectors, and the right to whole groups of four, so that there is no rest.
(module
  (import "memory" "rows" (memory 1 65536))

  ;; out[i * 4 * groups + j] = dot(left row i, right row j), `stride` bytes a row, stride % 16 == 0, at least 16.
  (func (export "products")
    (param $left i32) (param $count i32) (param $right i32) (param $groups i32) (param $stride i32) (param $out i32)
    (local $end i32) (local $group i32) (local $p i32) (local $x v128)
    (local $q i32) (local $r i32) (local $s i32) (local $t i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (local.get $left))
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $end (i32.add (local.get $end) (local.get $stride)))
        (local.set $q (local.get $right))
        (local.set $group (local.get $groups))
        (block $whole
          (loop $four
            (br_if $whole (i32.eqz (local.get $group)))
            (local.set $p (i32.sub (local.get $end) (local.get $stride)))
            (local.set $r (i32.add (local.get $q) (local.get $stride)))
            (local.set $s (i32.add (local.get $r) (local.get $stride)))
            (local.set $t (i32.add (local.get $s) (local.get $stride)))
            (local.set $a (v128.const i32x4 0 0 0 0))
            (local.set $b (v128.const i32x4 0 0 0 0))
            (local.set $c (v128.const i32x4 0 0 0 0))
            (local.set $d (v128.const i32x4 0 0 0 0))
            (loop $values
              (local.set $x (v128.load (local.get $p)))
              (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $x) (v128.load (local.get $q)))))
              (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $x) (v128.load (local.get $r)))))
              (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $x) (v128.load (local.get $s)))))
              (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $x) (v128.load (local.get $t)))))
              (local.set $q (i32.add (local.get $q) (i32.const 16)))
              (local.set $r (i32.add (local.get $r) (i32.const 16)))
              (local.set $s (i32.add (local.get $s) (i32.const 16)))
              (local.set $t (i32.add (local.get $t) (i32.const 16)))
              (br_if $values (i32.lt_u
                (local.tee $p (i32.add (local.get $p) (i32.const 16))) (local.get $end))))
            ;; The four sums of each become one: two steps of pairs.
            (local.set $x (f32x4.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 8 9 10 11 24 25 26 27 (local.get $a) (local.get $b))
              (i8x16.shuffle 4 5 6 7 20 21 22 23 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
            (local.set $a (f32x4.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 8 9 10 11 24 25 26 27 (local.get $c) (local.get $d))
              (i8x16.shuffle 4 5 6 7 20 21 22 23 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
            (v128.store (local.get $out) (f32x4.add
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $x) (local.get $a))
              (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $x) (local.get $a))))
            (local.set $out (i32.add (local.get $out) (i32.const 16)))
            ;; $t is where the next four begin.
            (local.set $q (local.get $t))
            (local.set $group (i32.sub (local.get $group) (i32.const 1)))
            (br $four)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $row)))))
