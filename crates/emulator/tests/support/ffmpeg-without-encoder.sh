#!/bin/sh
# Stands in for an ffmpeg that was built without the encoder for H.264.
echo "Unknown encoder 'libx264'" >&2
exit 1
