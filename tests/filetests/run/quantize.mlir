// test roundtrip
// test run
// test run N=3
// Floats of 8 bits are rounded to, extended and stored.
// lanewise.args N = 1000: x = normal(N, scale=100), y = empty(N), z = empty(N); grid = ceildiv(N, 256)
gpu.func @quantize(%x: memref<?xf32>, %y: memref<?xf8E4M3FN>, %z: memref<?xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %pad = arith.constant 0.0 : f32
  %tile = arith.constant 256 : index
  %block = gpu.block_id x
  %start = arith.muli %block, %tile : index
  %a = vector.transfer_read %x[%start], %pad : memref<?xf32>, vector<256xf32>
  %q = arith.truncf %a : vector<256xf32> to vector<256xf8E4M3FN>
  vector.transfer_write %q, %y[%start] : vector<256xf8E4M3FN>, memref<?xf8E4M3FN>
  %w = arith.extf %q : vector<256xf8E4M3FN> to vector<256xf16>
  vector.transfer_write %w, %z[%start] : vector<256xf16>, memref<?xf16>
  gpu.return
}
