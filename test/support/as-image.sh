#!/bin/sh
# Runs one command of the image as its container would, in a mount namespace that is ours alone and ends with it:
#
#   as-image.sh ROOT APP PACKAGES NODE SHOWN UID TMPFS… -- COMMAND…
#
# ROOT, an empty directory, becomes the container's root: read-only, with this machine's programs and libraries, APP at /app
# with PACKAGES as its node_modules, NODE among its programs, and SHOWN, what an operator mounts, where it is. Each TMPFS is as in compose.yaml,
# `PATH[:OPTIONS]`, mounted with what Docker mounts it with. COMMAND runs in /app as UID with no capability.
# Its caller may mount: root, or who is mapped to UID in a user namespace of his own.
set -eu
root=$1 app=$2 packages=$3 node=$4 shown=$5 uid=$6
shift 6

mount -t tmpfs -o nodev,nosuid,mode=0755 root "$root"
for name in bin sbin lib lib32 lib64 libx32 usr etc; do
  if [ -L "/$name" ]; then cp -P "/$name" "$root/$name"
  elif [ -d "/$name" ]; then mkdir "$root/$name" && mount --bind -o ro "/$name" "$root/$name"; fi
done
for name in proc dev; do mkdir "$root/$name" && mount --rbind "/$name" "$root/$name"; done
mkdir "$root/app" "$root/image"
mount --bind -o ro "$app" "$root/app"
mount --bind -o ro "$packages" "$root/app/node_modules"
: > "$root/image/node"
mount --bind -o ro "$node" "$root/image/node"

while [ "$1" != -- ]; do
  path=${1%%:*} options=mode=1777
  case $1 in *:*) options=${1#*:} ;; esac
  mkdir -p "$root$path"
  mount -t tmpfs -o "noexec,nosuid,nodev,$options" tmpfs "$root$path"
  shift
done
shift
mkdir -p "$root$shown"
mount --bind -o ro "$shown" "$root$shown"
mount -o remount,bind,ro,nodev,nosuid "$root"

export PATH=/image:/usr/sbin:/usr/bin:/sbin:/bin HOME=/nonexistent
unset TMPDIR
become=
[ "$(id -u)" = "$uid" ] || become="--reuid=$uid --regid=$uid --clear-groups"
# shellcheck disable=SC2016,SC2086
exec chroot "$root" /bin/sh -c 'cd /app && exec "$@"' as-image \
  setpriv $become --ambient-caps=-all --inh-caps=-all --bounding-set=-all --no-new-privs "$@"
