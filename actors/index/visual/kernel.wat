;; Int8 rows against one int16 query. Memory is imported.
;; A row: `padded` int8 values (padded % 32 == 0), then a float32 scale. The query: `padded` int16 values, small enough that
;; `padded` products with values of at most 127 fit into 32 bits.
;;
;; One row after the other: several rows at once share the loads of the query, but read memory at several places, and
;; that was measured three times slower where the rows do not fit into the cache. Values are widened as they are loaded
;; and multiplied and added in pairs by one instruction; four sums keep additions from waiting for each other.
(module
  (import "memory" "rows" (memory 1 65536))

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
