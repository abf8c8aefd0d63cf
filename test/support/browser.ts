import { execFileSync } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { type Browser, chromium } from 'playwright-core'

const PACKAGES = resolve(import.meta.dirname, '../../node_modules')
const PACKED = join(PACKAGES, '@sparticuz/chromium/bin')

/** Next to its package, so that another version is unpacked again. */
const UNPACKED = join(PACKAGES, '.cache/chromium-147.0.0')

/** Starts the browser that `npm ci` installed; the caller closes it. */
export async function startBrowser(): Promise<Browser> {
  if (!existsSync(UNPACKED)) await unpack()
  const libraries = join(UNPACKED, 'lib')
  return chromium.launch({
    executablePath: join(UNPACKED, 'chromium'),
    timeout: 120_000,
    // Tests run as root in containers, where the sandbox cannot; the pages are our own.
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
      // Local output is for the person at the machine; the page's own times are tested in one place.
      TZ: 'UTC',
    },
  })
}

/** In a directory of its own first: another run may be at it. */
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
  // A faster process has unpacked the same files.
  await rename(place, UNPACKED).catch(async (error: unknown) => {
    if (!existsSync(UNPACKED)) throw error
    await rm(place, { recursive: true })
  })
}
