import { expect } from 'chai'
import { isPublicHost } from '../../../shared/domain/public-host.ts'
import { parseWebUrl } from '../../../shared/domain/web-url.ts'

describe('isPublicHost', () => {
  const hosts = (urls: readonly string[]) => urls.map((url) => new URL(url).hostname)

  for (const host of hosts([
    'https://shop.example/a.png',
    'https://shop.example.:8443/a.png',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])) {
    it(`accepts ${host}`, () => expect(isPublicHost(host)).to.equal(true))
  }

  for (const host of hosts([
    'http://localhost:3000/',
    'http://LOCALHOST./',
    'http://printer/',
    'http://a.localhost/',
    'http://nas.local/',
    'http://metadata.google.internal/',
    'http://router.home.arpa/',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/',
    'http://100.64.0.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[fd00::1]/',
  ])) {
    it(`rejects ${host}`, () => expect(isPublicHost(host)).to.equal(false))
  }
})

describe('parseWebUrl', () => {
  it('parses http and https URLs', () => {
    expect(parseWebUrl('https://shop.example/x')?.href).to.equal('https://shop.example/x')
    expect(parseWebUrl('http://localhost:3000')?.href).to.equal('http://localhost:3000/')
  })

  for (const text of [
    '',
    'shop.example',
    'ftp://shop.example',
    'javascript:1',
    'https://me:secret@shop.example',
    'https://me@shop.example',
  ]) {
    it(`rejects "${text}"`, () => expect(parseWebUrl(text)).to.equal(null))
  }
})
