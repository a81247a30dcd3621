gpu.func @short(%x: memref<64xf32>, %y: memref<64xf32>, %s: memref<64xf32>, %z: memref<6x64xf32>, %h: memref<2x64xf16>, %q: memref<2x64xf8E4M3FN>, %i: memref<64xi8>, %d: memref<2x64xi8>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %p = arith.constant 0.0 : f32
  %pi = arith.constant 0 : i8
  %a = vector.transfer_read %x[%c0], %p : memref<64xf32>, vector<64xf32>
  %b = vector.transfer_read %y[%c0], %p : memref<64xf32>, vector<64xf32>
  %sc = vector.transfer_read %s[%c0], %p : memref<64xf32>, vector<64xf32>
  %0 = arith.maximumnumf %a, %b : vector<64xf32>
  vector.transfer_write %0, %z[%c0, %c0] : vector<64xf32>, memref<6x64xf32>
  %1 = arith.minimumnumf %a, %b : vector<64xf32>
  vector.transfer_write %1, %z[%c1, %c0] : vector<64xf32>, memref<6x64xf32>
  %2 = arith.flush_denormals %a : vector<64xf32>
  vector.transfer_write %2, %z[%c2, %c0] : vector<64xf32>, memref<6x64xf32>
  %e = arith.truncf %sc : vector<64xf32> to vector<64xf8E8M0FNU>
  %3 = arith.scaling_truncf %a, %e : vector<64xf32>, vector<64xf8E8M0FNU> to vector<64xf8E4M3FN>
  vector.transfer_write %3, %q[%c0, %c0] : vector<64xf8E4M3FN>, memref<2x64xf8E4M3FN>
  %4 = arith.scaling_extf %3, %e : vector<64xf8E4M3FN>, vector<64xf8E8M0FNU> to vector<64xf32>
  vector.transfer_write %4, %z[%c3, %c0] : vector<64xf32>, memref<6x64xf32>
  %t = arith.truncf %a : vector<64xf32> to vector<64xbf16>
  %5 = arith.convertf %t : vector<64xbf16> to vector<64xf16>
  vector.transfer_write %5, %h[%c0, %c0] : vector<64xf16>, memref<2x64xf16>
  %6 = arith.convertf %t toward_zero : vector<64xbf16> to vector<64xf16>
  vector.transfer_write %6, %h[%c1, %c0] : vector<64xf16>, memref<2x64xf16>
  %k = vector.transfer_read %i[%c0], %pi : memref<64xi8>, vector<64xi8>
  %7, %8 = arith.subui_extended %k, %k : vector<64xi8>, vector<64xi1>
  %n = vector.extract %k[7] : i8 from vector<64xi8>
  %m = vector.broadcast %n : i8 to vector<64xi8>
  %9, %10 = arith.subui_extended %k, %m : vector<64xi8>, vector<64xi1>
  vector.transfer_write %9, %d[%c0, %c0] : vector<64xi8>, memref<2x64xi8>
  %11 = arith.extui %10 : vector<64xi1> to vector<64xi8>
  vector.transfer_write %11, %d[%c1, %c0] : vector<64xi8>, memref<2x64xi8>
  gpu.return
}
