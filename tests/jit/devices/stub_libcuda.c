/* A libcuda.so.1 without a GPU, so that calls through the real cuda-python can be tested: memory is the host's, and a
 * launched kernel writes its configuration and its parameter buffer to the address that is its first parameter. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_PTX = 218, NOT_FOUND = 500 };
enum { ERROR_LOG_BUFFER = 5 };

static int device_attribute(int *value, int attribute, int device) {
  switch (attribute) {
  case 1: *value = 1024; break;
  case 10: *value = 32; break;
  case 16: *value = 132; break;
  case 75: *value = 9; break;
  case 76: *value = 0; break;
  case 97: *value = 232448; break;
  default: return INVALID_VALUE;
  }
  return OK;
}

static int one(int *value) { return *value = 1, OK; }
static int zero(void *unused) { return OK; }
static int version(int *value) { return *value = 13010, OK; }
static int device_get(int *device, int ordinal) { return *device = ordinal, OK; }
static int device_name(char *name, int size, int device) { return strncpy(name, "Stub", size), OK; }
static int retain(void **context, int device) { return *context = (void *)0xC0, OK; }
static int pop(void **context) { return *context = (void *)0xC0, OK; }

static int allocate(uint64_t *address, size_t size) {
  if (size >> 40) return OUT_OF_MEMORY;
  return *address = (uint64_t)aligned_alloc(256, (size + 255) / 256 * 256), OK;
}
static int release(uint64_t address) { return free((void *)address), OK; }
static int copy(void *to, const void *from, size_t size, void *stream) { return memcpy(to, from, size), OK; }
static int fill(void *to, unsigned char byte, size_t size, void *stream) { return memset(to, byte, size), OK; }
static int pointer_attribute(int *value, int attribute, uint64_t address) {
  return address == 4096 ? INVALID_VALUE : (*value = 0, OK);
}

static int load(void **module, const char *image, unsigned count, const int *options, void **values) {
  for (unsigned i = 0; i < count && strstr(image, "BROKEN"); i++)
    if (options[i] == ERROR_LOG_BUFFER) strcpy(values[i], "line 3: BROKEN");
  return strstr(image, "BROKEN") ? INVALID_PTX : (*module = (void *)0xA0, OK);
}
static int get_function(void **function, void *module, const char *name) {
  return strcmp(name, "k") ? NOT_FOUND : (*function = (void *)0xF0, OK);
}
static int function_attribute(int *value, int attribute, void *function) { return *value = 10 + attribute, OK; }
static int set_attribute(void *function, int attribute, int value) { return attribute == 8 ? OK : INVALID_VALUE; }

static int create_event(void **event, unsigned flags) { return *event = (void *)0xE0, OK; }
static int record(void *event, void *stream) { return OK; }
static int elapsed(float *milliseconds, void *start, void *end) { return *milliseconds = 2.5f, OK; }
static int error_name(int code, const char **text) { return *text = "CUDA_ERROR_STUB", OK; }

static int launch(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                  unsigned shared, void *stream, void **parameters, void **extra) {
  if (bx * by * bz > 1024 || parameters || (size_t)extra[0] != 1 || (size_t)extra[2] != 2 || extra[4])
    return INVALID_VALUE;
  uint32_t seen[8] = {gx, gy, gz, bx, by, bz, shared, (uint32_t)(size_t)stream};
  char *target = *(char **)extra[1];
  memcpy(target, seen, sizeof seen);
  memcpy(target + sizeof seen, extra[1], *(size_t *)extra[3]);
  return OK;
}

int cuGetProcAddress_v2(const char *name, void **function, int version_, uint64_t flags, int *status);

static const struct { const char *name; void *function; } table[] = {
    {"cuInit", zero}, {"cuDeviceGetCount", one}, {"cuDeviceGet", device_get}, {"cuDeviceGetName", device_name},
    {"cuDeviceGetAttribute", device_attribute}, {"cuDriverGetVersion", version}, {"cuDevicePrimaryCtxRetain", retain},
    {"cuCtxPushCurrent", zero}, {"cuCtxPopCurrent", pop}, {"cuCtxSynchronize", zero}, {"cuStreamSynchronize", zero},
    {"cuMemAlloc", allocate}, {"cuMemFree", release}, {"cuMemcpyHtoDAsync", copy}, {"cuMemcpyDtoHAsync", copy},
    {"cuMemsetD8Async", fill}, {"cuPointerGetAttribute", pointer_attribute}, {"cuModuleLoadDataEx", load},
    {"cuModuleUnload", zero}, {"cuModuleGetFunction", get_function}, {"cuFuncGetAttribute", function_attribute},
    {"cuFuncSetAttribute", set_attribute}, {"cuLaunchKernel", launch}, {"cuEventCreate", create_event},
    {"cuEventDestroy", zero}, {"cuEventRecord", record}, {"cuEventSynchronize", zero}, {"cuEventElapsedTime", elapsed},
    {"cuGetErrorName", error_name}, {"cuGetErrorString", error_name}, {"cuGetProcAddress", cuGetProcAddress_v2},
};

int cuGetProcAddress_v2(const char *name, void **function, int version_, uint64_t flags, int *status) {
  *function = NULL;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].name, name)) *function = table[i].function;
  if (status) *status = *function ? 0 : 1;
  return *function ? OK : NOT_FOUND;
}
int cuGetProcAddress(const char *name, void **function, int version_, uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version_, flags, NULL);
}
