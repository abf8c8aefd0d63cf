import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'

const REPOSITORY = resolve(import.meta.dirname, '../../..')

describe('docs/ops/nginx.conf', () => {
  it('does not log requests for pages below the CHECKOUT_BASE_URL of .env.example', async () => {
    const [settings = '', proxy = ''] = await Promise.all(
      ['.env.example', 'docs/ops/nginx.conf'].map((path) => readFile(join(REPOSITORY, path), 'utf8')),
    )
    const [, url = ''] = /^# CHECKOUT_BASE_URL=(\S+)$/m.exec(settings) ?? []
    const { pathname } = new URL(url)
    const [, block] = proxy.split(`location ${pathname}/ {`)
    expect(block?.split('}')[0]).to.include('access_log off;').and.include('error_log /dev/null crit;')
  })
})
