#include <stdio.h>
#define BUFFER_SIZE 4096
#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* A growing buffer. */
struct buffer {
	char *data;
	size_t used;
};

typedef int (*compare_fn)(const void *left, const void *right);
enum mode { MODE_READ = 1, MODE_WRITE = 2, MODE_APPEND = 4, MODE_CREATE = 8 };

int buffer_grow(struct buffer *buffer, size_t wanted);

/* Appends bytes, and grows where there is no room. */
static int buffer_append(struct buffer *buffer, const char *data, size_t size)
{
	if (buffer_grow(buffer, buffer->used + size) < 0)
		return -1;
	memcpy(buffer->data + buffer->used, data, size);
	return 0;
}

#ifdef DEBUG
const char *mode_name(enum mode mode) { return mode == MODE_READ ? "read" : mode == MODE_WRITE ? "write" : "?"; }
#endif
