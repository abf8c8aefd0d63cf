#!/bin/sh
# Runs one command of the image as its container would, in its own mount namespace, which ends with the command:
#
#   as-image.sh ROOT APP PACKAGES NODE SHOWN UID TMPFS… -- COMMAND…
#
# ROOT, an empty directory, becomes the container's read-only root. It contains this machine's programs and libraries,
# APP at /app with PACKAGES as its node_modules, and the program NODE. SHOWN, a directory that an operator mounts, keeps
# its path. Each TMPFS is `PATH[:OPTIONS]` as in compose.yaml, mounted with Docker's default options. COMMAND runs in
# /app as UID, without capabilities. The caller must be allowed to mount, so it must be root, or be mapped to UID in its
# own user namespace.
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
