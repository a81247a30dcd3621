// test verify
gpu.func @k(%i: i32, %x: f32) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  // expected-error@+1 {{format has the conversion %s; there are %d, %i, %o, %u, %x, %X, %c, %p, %e, %E, %f, %F, %g, %G}}
  gpu.printf "%s", %i : i32
  // expected-error@+1 {{format has '%*d', which is no conversion of one value}}
  gpu.printf "%*d", %i, %i : i32, i32
  // expected-error@+1 {{format prints a value of type f32 by %d}}
  gpu.printf "%d", %x : f32
  // expected-error@+1 {{format has 1 conversions, 2 values are given}}
  gpu.printf "%d", %i, %i : i32, i32
  // expected-error@+1 {{format has more conversions than values: nothing is left for %f}}
  gpu.printf "%d %f", %i : i32
  // expected-error@+1 {{counts counter -1 on by 1, expected numbers of at least 0}}
  %n = lanewise.count -1 by 1
  gpu.return
}
