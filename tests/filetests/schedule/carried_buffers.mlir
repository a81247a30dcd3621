// A loop whose tiles are read ahead hands a buffer on, through which the loop around it writes what it reads next: only the
// inner one's are read ahead.
// test run
// test run target=gfx942
// expect sm_75: layout vector.transfer_read 5
// lanewise.args a = index(192), b = index(192), c = zeros(192) ; grid = 1
gpu.func @f(%A: memref<192xf32>, %B: memref<192xf32>, %C: memref<192xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %pad = arith.constant 0.0 : f32
  %seven = arith.constant dense<7.0> : vector<64xf32>
  %s = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  %t = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  scf.for %k = %c0 to %c192 step %c64 {
    %a = vector.transfer_read %A[%k], %pad : memref<192xf32>, vector<64xf32>
    vector.transfer_write %a, %s[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
    %r:2 = scf.for %j = %c0 to %c128 step %c64 iter_args(%q = %A, %acc = %seven) -> (memref<192xf32>, vector<64xf32>) {
      %b = vector.transfer_read %B[%j], %pad : memref<192xf32>, vector<64xf32>
      vector.transfer_write %b, %t[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
      %u = vector.transfer_read %t[%c0], %pad {in_bounds = [true]} : memref<64xf32, #gpu.address_space<workgroup>>, vector<64xf32>
      %next = arith.addf %acc, %u : vector<64xf32>
      scf.yield %q, %next : memref<192xf32>, vector<64xf32>
    }
    %v = vector.transfer_read %s[%c0], %pad {in_bounds = [true]} : memref<64xf32, #gpu.address_space<workgroup>>, vector<64xf32>
    %w = arith.addf %v, %r#1 : vector<64xf32>
    vector.transfer_write %w, %C[%k] : vector<64xf32>, memref<192xf32>
    %ahead = arith.addi %k, %c64 : index
    vector.transfer_write %w, %r#0[%ahead] : vector<64xf32>, memref<192xf32>
  }
  gpu.return
}
