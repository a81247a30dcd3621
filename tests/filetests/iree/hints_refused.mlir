// Hints that would be seen, and threads alone that wait.
// test compile
gpu.module @m {
  gpu.func @seen(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = iree_codegen.swizzle_hint %x[#iree_codegen.rotate_rows<32, 4>] : memref<64xf32> // expected-error {{reorders memory that is also seen without it}}
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @rank() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = memref.alloc() : memref<f32, #gpu.address_space<workgroup>>
    %t = iree_codegen.swizzle_hint %x[#iree_codegen.rotate_rows<32, 4>] : memref<f32, #gpu.address_space<workgroup>> // expected-error {{is of a contiguous memref of rank 1 or more}}
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @numbers(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = iree_codegen.swizzle_hint %x[#iree_codegen.rotate_rows<33, 4>] : memref<64xf32> // expected-error {{a row is a multiple of an access, both positive, found [33, 4]}}
    gpu.return
  }
}
// -----
gpu.module @m {
  gpu.func @alone(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    lanewise.threads {
      %t = gpu.thread_id x
      %v = memref.load %x[%t] : memref<64xf32>
      %s = gpu.all_reduce add %v {} : (f32) -> f32 // expected-error {{'gpu.all_reduce' op waits for other threads inside 'lanewise.threads'}}
      memref.store %s, %x[%t] : memref<64xf32>
    }
    gpu.return
  }
}
// -----
gpu.func @seen(%x: memref<64x64xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %t = bufferization.to_tensor %x : memref<64x64xf32> to tensor<64x64xf32>
  // expected-error@+1 {{reorders memory that is also seen without it}}
  %s = iree_codegen.swizzle_hint %t[#iree_codegen.rotate_rows<64, 4>] : tensor<64x64xf32>
  gpu.return
}
// -----
func.func @no_rows(%t: tensor<f32>) {
  // expected-error@+1 {{is of a tensor of rank 1 or more, found tensor<f32>}}
  %s = iree_codegen.swizzle_hint %t[#iree_codegen.rotate_rows<64, 4>] : tensor<f32>
  return
}
