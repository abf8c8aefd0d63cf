import { execFileSync } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { type Browser, chromium } from 'playwright-core'

const PACKAGES = resolve(import.meta.dirname, '../../node_modules')
const PACKED = join(PACKAGES, '@sparticuz/chromium/bin')

/** Directory of the unpacked browser. Its name contains the version, so that another version is unpacked separately. */
const UNPACKED = join(PACKAGES, '.cache/chromium-147.0.0')

/** Starts the browser that `npm ci` installed. The caller must close it. */
export async function startBrowser(): Promise<Browser> {
  if (!existsSync(UNPACKED)) await unpack()
  const libraries = join(UNPACKED, 'lib')
  return chromium.launch({
    executablePath: join(UNPACKED, 'chromium'),
    timeout: 120_000,
    // Chromium's sandbox does not run as root, and tests in containers run as root. The tests do not need the sandbox,
    // because they open only our own pages.
    args: [
      '--no-sandbox',
      '--no-zygote',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--font-render-hinting=none',
    ],
    env: {
      ...(process.env['HOME'] === undefined ? {} : { HOME: process.env['HOME'] }),
      FONTCONFIG_PATH: join(UNPACKED, 'fonts'),
      LD_LIBRARY_PATH: libraries,
      // Most tests expect local times in UTC; only phone.test.ts sets another time zone.
      TZ: 'UTC',
    },
  })
}

/**
 * Unpacks the browser into a temporary directory and renames the directory, because another run might unpack it at the
 * same time.
 */
async function unpack(): Promise<void> {
  await mkdir(join(PACKAGES, '.cache'), { recursive: true })
  const place = await mkdtemp(join(PACKAGES, '.cache/chromium-'))
  const program = join(place, 'chromium')
  await pipeline(
    createReadStream(join(PACKED, 'chromium.br')),
    createBrotliDecompress(),
    createWriteStream(program),
  )
  await chmod(program, 0o755)
  for (const name of ['al2023', 'fonts']) {
    const archive = join(place, `${name}.tar`)
    await pipeline(
      createReadStream(join(PACKED, `${name}.tar.br`)),
      createBrotliDecompress(),
      createWriteStream(archive),
    )
    execFileSync('tar', ['-xf', archive, '-C', place])
    await rm(archive)
  }
  // The rename fails if another process was faster. That process's files are the same.
  await rename(place, UNPACKED).catch(async (error: unknown) => {
    if (!existsSync(UNPACKED)) throw error
    await rm(place, { recursive: true })
  })
}
