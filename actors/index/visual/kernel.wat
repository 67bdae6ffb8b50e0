;; Int8 rows against one int16 query. Memory is imported, and shared by threads.
;; A row: `padded` int8 values (padded % 32 == 0), then a float32 scale. The query: `padded` int16 values, small enough that
;; `padded` products with values of at most 127 fit into 32 bits.
;;
;; `scan` takes one row after the other: several rows at once share the loads of the query, but read memory at several
;; places, and that was measured three times slower where the rows do not fit into the cache. Values are widened as they
;; are loaded and multiplied and added in pairs by one instruction; four sums keep additions from waiting for each other.
(module
  (import "memory" "rows" (memory 1 65536 shared))

  ;; out[i] = (dot(row i, query) * query_scale + error) * scale of row i
  (func (export "scan")
    (param $rows i32) (param $count i32) (param $stride i32) (param $padded i32)
    (param $query i32) (param $out i32) (param $query_scale f32) (param $error f32)
    (local $p i32) (local $q i32) (local $end i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $p (local.get $rows))
        (local.set $q (local.get $query))
        (local.set $end (i32.add (local.get $rows) (local.get $padded)))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $c (v128.const i32x4 0 0 0 0))
        (local.set $d (v128.const i32x4 0 0 0 0))
        (loop $values
          (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s
            (v128.load8x8_s (local.get $p)) (v128.load (local.get $q)))))
          (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s
            (v128.load8x8_s offset=8 (local.get $p)) (v128.load offset=16 (local.get $q)))))
          (local.set $c (i32x4.add (local.get $c) (i32x4.dot_i16x8_s
            (v128.load8x8_s offset=16 (local.get $p)) (v128.load offset=32 (local.get $q)))))
          (local.set $d (i32x4.add (local.get $d) (i32x4.dot_i16x8_s
            (v128.load8x8_s offset=24 (local.get $p)) (v128.load offset=48 (local.get $q)))))
          (local.set $q (i32.add (local.get $q) (i32.const 64)))
          (br_if $values (i32.lt_u
            (local.tee $p (i32.add (local.get $p) (i32.const 32))) (local.get $end))))
        (local.set $a (i32x4.add
          (i32x4.add (local.get $a) (local.get $b)) (i32x4.add (local.get $c) (local.get $d))))
        (f32.store (local.get $out) (f32.mul (f32.load (local.get $p)) (f32.add (local.get $error) (f32.mul
          (local.get $query_scale)
          (f32.convert_i32_s (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $a)) (i32x4.extract_lane 1 (local.get $a)))
            (i32.add (i32x4.extract_lane 2 (local.get $a)) (i32x4.extract_lane 3 (local.get $a)))))))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (local.set $rows (i32.add (local.get $rows) (local.get $stride)))
        (br $row))))

  ;; The same for four queries, each followed by its float32 scale and error: `bound` errors are added. The scores of a query
  ;; lie `apart` bytes behind those of the one before; after an odd number of rows one more is written. Two rows share the
  ;; loads of the queries, and four queries the widening of the rows, which are in the cache after the first four.
  (func (export "four")
    (param $rows i32) (param $count i32) (param $stride i32) (param $padded i32)
    (param $q0 i32) (param $q1 i32) (param $q2 i32) (param $q3 i32) (param $out i32) (param $apart i32) (param $bound f32)
    (local $p i32) (local $r i32) (local $at i32) (local $length i32) (local $to i32)
    (local $x v128) (local $y v128) (local $v v128)
    (local $x0 v128) (local $x1 v128) (local $x2 v128) (local $x3 v128)
    (local $y0 v128) (local $y1 v128) (local $y2 v128) (local $y3 v128)
    (local.set $length (i32.shl (local.get $padded) (i32.const 1)))
    (block $done
      (loop $pair
        (br_if $done (i32.le_s (local.get $count) (i32.const 0)))
        (local.set $p (local.get $rows))
        ;; The last one of an odd number is taken twice.
        (local.set $r (select (local.get $rows) (i32.add (local.get $rows) (local.get $stride))
          (i32.eq (local.get $count) (i32.const 1))))
        (local.set $at (i32.const 0))
        (local.set $x0 (v128.const i32x4 0 0 0 0))
        (local.set $x1 (v128.const i32x4 0 0 0 0))
        (local.set $x2 (v128.const i32x4 0 0 0 0))
        (local.set $x3 (v128.const i32x4 0 0 0 0))
        (local.set $y0 (v128.const i32x4 0 0 0 0))
        (local.set $y1 (v128.const i32x4 0 0 0 0))
        (local.set $y2 (v128.const i32x4 0 0 0 0))
        (local.set $y3 (v128.const i32x4 0 0 0 0))
        (loop $values
          (local.set $x (v128.load8x8_s (local.get $p)))
          (local.set $y (v128.load8x8_s (local.get $r)))
          (local.set $v (v128.load (i32.add (local.get $q0) (local.get $at))))
          (local.set $x0 (i32x4.add (local.get $x0) (i32x4.dot_i16x8_s (local.get $x) (local.get $v))))
          (local.set $y0 (i32x4.add (local.get $y0) (i32x4.dot_i16x8_s (local.get $y) (local.get $v))))
          (local.set $v (v128.load (i32.add (local.get $q1) (local.get $at))))
          (local.set $x1 (i32x4.add (local.get $x1) (i32x4.dot_i16x8_s (local.get $x) (local.get $v))))
          (local.set $y1 (i32x4.add (local.get $y1) (i32x4.dot_i16x8_s (local.get $y) (local.get $v))))
          (local.set $v (v128.load (i32.add (local.get $q2) (local.get $at))))
          (local.set $x2 (i32x4.add (local.get $x2) (i32x4.dot_i16x8_s (local.get $x) (local.get $v))))
          (local.set $y2 (i32x4.add (local.get $y2) (i32x4.dot_i16x8_s (local.get $y) (local.get $v))))
          (local.set $v (v128.load (i32.add (local.get $q3) (local.get $at))))
          (local.set $x3 (i32x4.add (local.get $x3) (i32x4.dot_i16x8_s (local.get $x) (local.get $v))))
          (local.set $y3 (i32x4.add (local.get $y3) (i32x4.dot_i16x8_s (local.get $y) (local.get $v))))
          (local.set $x (v128.load8x8_s offset=8 (local.get $p)))
          (local.set $y (v128.load8x8_s offset=8 (local.get $r)))
          (local.set $v (v128.load offset=16 (i32.add (local.get $q0) (local.get $at))))
          (local.set $x0 (i32x4.add (local.get $x0) (i32x4.dot_i16x8_s (local.get $x) (local.get $v))))
          (local.set $y0 (i32x4.add (local.get $y0) (i32x4.dot_i16x8_s (local.get $y) (local.get $v))))
          (local.set $v (v128.load offset=16 (i32.add (local.get $q1) (local.get $at))))
          (local.set $x1 (i32x4.add (local.get $x1) (i32x4.dot_i16x8_s (local.get $x) (local.get $v))))
          (local.set $y1 (i32x4.add (local.get $y1) (i32x4.dot_i16x8_s (local.get $y) (local.get $v))))
          (local.set $v (v128.load offset=16 (i32.add (local.get $q2) (local.get $at))))
          (local.set $x2 (i32x4.add (local.get $x2) (i32x4.dot_i16x8_s (local.get $x) (local.get $v))))
          (local.set $y2 (i32x4.add (local.get $y2) (i32x4.dot_i16x8_s (local.get $y) (local.get $v))))
          (local.set $v (v128.load offset=16 (i32.add (local.get $q3) (local.get $at))))
          (local.set $x3 (i32x4.add (local.get $x3) (i32x4.dot_i16x8_s (local.get $x) (local.get $v))))
          (local.set $y3 (i32x4.add (local.get $y3) (i32x4.dot_i16x8_s (local.get $y) (local.get $v))))
          (local.set $p (i32.add (local.get $p) (i32.const 16)))
          (local.set $r (i32.add (local.get $r) (i32.const 16)))
          (br_if $values (i32.lt_u
            (local.tee $at (i32.add (local.get $at) (i32.const 32))) (local.get $length))))
        (local.set $to (local.get $out))
        (f32.store (local.get $to) (call $score (local.get $x0) (f32.load (local.get $p))
          (i32.add (local.get $q0) (local.get $at)) (local.get $bound)))
        (f32.store offset=4 (local.get $to) (call $score (local.get $y0) (f32.load (local.get $r))
          (i32.add (local.get $q0) (local.get $at)) (local.get $bound)))
        (local.set $to (i32.add (local.get $to) (local.get $apart)))
        (f32.store (local.get $to) (call $score (local.get $x1) (f32.load (local.get $p))
          (i32.add (local.get $q1) (local.get $at)) (local.get $bound)))
        (f32.store offset=4 (local.get $to) (call $score (local.get $y1) (f32.load (local.get $r))
          (i32.add (local.get $q1) (local.get $at)) (local.get $bound)))
        (local.set $to (i32.add (local.get $to) (local.get $apart)))
        (f32.store (local.get $to) (call $score (local.get $x2) (f32.load (local.get $p))
          (i32.add (local.get $q2) (local.get $at)) (local.get $bound)))
        (f32.store offset=4 (local.get $to) (call $score (local.get $y2) (f32.load (local.get $r))
          (i32.add (local.get $q2) (local.get $at)) (local.get $bound)))
        (local.set $to (i32.add (local.get $to) (local.get $apart)))
        (f32.store (local.get $to) (call $score (local.get $x3) (f32.load (local.get $p))
          (i32.add (local.get $q3) (local.get $at)) (local.get $bound)))
        (f32.store offset=4 (local.get $to) (call $score (local.get $y3) (f32.load (local.get $r))
          (i32.add (local.get $q3) (local.get $at)) (local.get $bound)))
        (local.set $out (i32.add (local.get $out) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 2)))
        (local.set $rows (i32.add (local.get $rows) (i32.shl (local.get $stride) (i32.const 1))))
        (br $pair))))

  ;; (sum of the lanes * scale of the query + bound * its error) * scale of the row. `facts`: those of the query.
  (func $score (param $sums v128) (param $scale f32) (param $facts i32) (param $bound f32) (result f32)
    (f32.mul (local.get $scale) (f32.add
      (f32.mul (local.get $bound) (f32.load offset=4 (local.get $facts)))
      (f32.mul (f32.load (local.get $facts)) (f32.convert_i32_s (i32.add
        (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
        (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums)))))))))

  ;; Each float32 from `to` on becomes the larger of itself and the one from `from` on; up to three more as well.
  (func (export "larger") (param $to i32) (param $from i32) (param $count i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $to) (i32.shl (local.get $count) (i32.const 2))))
    (loop $next
      (v128.store (local.get $to) (f32x4.max (v128.load (local.get $to)) (v128.load (local.get $from))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $next (i32.lt_u
        (local.tee $to (i32.add (local.get $to) (i32.const 16))) (local.get $end)))))

  ;; Writes the indices of the scores above `least` to `out`, ascending, and answers how many there are. Four scores are
  ;; compared at once, because nearly all of them lose: the loop in JavaScript costs as much as a third of the scan.
  (func (export "above")
    (param $scores i32) (param $count i32) (param $least f32) (param $out i32) (result i32)
    (local $i i32) (local $first i32) (local $bar v128)
    (local.set $first (local.get $out))
    (local.set $bar (f32x4.splat (local.get $least)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
        (if (i32.and
              (i32.eqz (i32.and (local.get $i) (i32.const 3)))
              (i32.eqz (v128.any_true (f32x4.gt (v128.load (local.get $scores)) (local.get $bar)))))
          (then
            (local.set $i (i32.add (local.get $i) (i32.const 4)))
            (local.set $scores (i32.add (local.get $scores) (i32.const 16))))
          (else
            (if (f32.gt (f32.load (local.get $scores)) (local.get $least))
              (then
                (i32.store (local.get $out) (local.get $i))
                (local.set $out (i32.add (local.get $out) (i32.const 4)))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (local.set $scores (i32.add (local.get $scores) (i32.const 4)))))
        (br $next)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $first)) (i32.const 2))))
