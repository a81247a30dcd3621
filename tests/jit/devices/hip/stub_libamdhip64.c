/* A libamdhip64.so without a GPU, so that calls through the real hip-python can be tested: memory is the host's, and a
 * launched kernel writes its configuration and its parameter buffer to the address that is its first parameter. What
 * the runtime answers in structures is given by the test, which knows their layout from hip-python. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_IMAGE = 200, NOT_FOUND = 500, FROM_THE_FUTURE = 12345 };

static char properties[8192], pointer[256];
static size_t properties_size, pointer_size;
static int current = 0, last = OK;

void stub_properties(const void *data, size_t size) { memcpy(properties, data, properties_size = size); }
void stub_pointer(const void *data, size_t size) { memcpy(pointer, data, pointer_size = size); }
int stub_last(void) { return last; }

int hipInit(unsigned flags) { return OK; }
int hipGetDeviceCount(int *count) { return *count = 2, OK; }
int hipGetDevice(int *device) { return *device = current, OK; }
int hipSetDevice(int device) { return current = device, OK; }
int hipGetDevicePropertiesR0600(void *to, int device) { return memcpy(to, properties, properties_size), OK; }
int hipDriverGetVersion(int *version) { return *version = 71526043, OK; }
const char *hipGetErrorString(int code) { return "what it means"; }
const char *hipGetErrorName(int code) { return "its name"; }
int hipGetLastError(void) { int was = last; return last = OK, was; }

int hipMalloc(void **address, size_t size) {
  if (size >> 50) return FROM_THE_FUTURE;
  if (size >> 40) return OUT_OF_MEMORY;
  return *address = aligned_alloc(256, (size + 255) / 256 * 256), OK;
}
int hipFree(void *address) { return free(address), OK; }
int hipMemcpyHtoDAsync(void *to, const void *from, size_t size, void *stream) { return memcpy(to, from, size), OK; }
int hipMemcpyDtoHAsync(void *to, void *from, size_t size, void *stream) { return memcpy(to, from, size), OK; }
int hipMemsetD8Async(void *to, unsigned char byte, size_t size, void *stream) { return memset(to, byte, size), OK; }
int hipPointerGetAttributes(void *to, const void *address) {
  if (address == (void *)4096) return last = INVALID_VALUE;
  return memcpy(to, pointer, pointer_size), OK;
}

static const char *loaded;
int hipModuleLoadData(void **module, const char *image) {
  if (memcmp(image, "\177ELF", 4)) return INVALID_IMAGE;
  return loaded = image, *module = (void *)0xA0, OK;
}
int hipModuleUnload(void *module) { return module == (void *)0xA0 ? OK : INVALID_VALUE; }
int hipModuleGetFunction(void **function, void *module, const char *name) {
  if (module != (void *)0xA0 || strcmp(name, "k")) return NOT_FOUND;
  return *function = (void *)0xF0, OK;
}

int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **parameters, void **extra) {
  if (function != (void *)0xF0 || parameters || bx * by * bz > 1024) return INVALID_VALUE;
  if (extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] != (void *)3) return INVALID_VALUE;
  if (memcmp(loaded, "\177ELF", 4)) return INVALID_IMAGE; /* the image is read in place */
  const char *buffer = extra[1];
  size_t size = *(size_t *)extra[3];
  uint32_t seen[8] = {gx, gy, gz, bx, by, bz, shared, (uint32_t)(uintptr_t)stream};
  char *to = *(char *const *)buffer;
  memcpy(to, seen, sizeof seen);
  memcpy(to + sizeof seen, buffer, size);
  return OK;
}

/* Parameters of 8, 4 and 4 bytes, one by one; the shared bytes are 2000 more. */
int hipModuleLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                     unsigned bz, unsigned shared, void *stream, void **parameters) {
  char buffer[16], *packed = buffer;
  size_t size = sizeof buffer;
  memcpy(buffer, parameters[0], 8), memcpy(buffer + 8, parameters[1], 4), memcpy(buffer + 12, parameters[2], 4);
  void *extra[] = {(void *)1, packed, (void *)2, &size, (void *)3};
  return hipModuleLaunchKernel(function, gx, gy, gz, bx, by, bz, shared + 2000, stream, NULL, extra);
}
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *count, void *function, int threads, size_t shared) {
  return *count = 2, function == (void *)0xF0 ? OK : INVALID_VALUE;
}
int hipDeviceGetAttribute(int *value, int attribute, int device) { return *value = attribute == 88, OK; }
int hipMallocAsync(void **address, size_t size, void *stream) { return hipMalloc(address, size); }
int hipFreeAsync(void *address, void *stream) { return hipFree(address); }

int hipDeviceSynchronize(void) { return OK; }
int hipStreamSynchronize(void *stream) { return OK; }
int hipStreamIsCapturing(void *stream, int *status) { return *status = 0, OK; }
int hipEventCreate(void **event) { return *event = (void *)0xE0, OK; }
int hipEventDestroy(void *event) { return event == (void *)0xE0 ? OK : INVALID_VALUE; }
int hipEventRecord(void *event, void *stream) { return event == (void *)0xE0 ? OK : INVALID_VALUE; }
int hipEventSynchronize(void *event) { return event == (void *)0xE0 ? OK : INVALID_VALUE; }
int hipEventElapsedTime(float *ms, void *start, void *end) { return *ms = 2.5f, OK; }
