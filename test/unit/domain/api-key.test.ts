import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { createApiKey, hashApiKey, parseApiKey } from '../../../shared/domain/api-key.ts'

describe('createApiKey', () => {
  it('returns a prefix with the environment, 43 random characters and a checksum of 6 characters', () => {
    expect(createApiKey('live')).to.match(/^svc_live_[0-9A-Za-z]{49}$/)
    expect(createApiKey('test')).to.match(/^svc_test_[0-9A-Za-z]{49}$/)
    expect(createApiKey('live')).not.to.equal(createApiKey('live'))
  })
})

describe('parseApiKey', () => {
  it('returns the environment of the prefix', () => {
    expect(parseApiKey(createApiKey('live'))).to.deep.equal({ environment: 'live' })
    expect(parseApiKey(createApiKey('test'))).to.deep.equal({ environment: 'test' })
  })

  it('accepts a checksum computed by another program: CRC-32 of the preceding text, in base62', () => {
    // Computed with Python's zlib.crc32.
    const key = 'svc_live_0000000000000000000000000000000000000000000297tdY'
    expect(parseApiKey(key)).to.deep.equal({ environment: 'live' })
  })

  it('rejects a live key presented as a test key', () => {
    expect(parseApiKey(createApiKey('live').replace('svc_live_', 'svc_test_'))).to.equal(null)
  })

  it('rejects text that does not have the form of a key', () => {
    for (const text of ['', 'svc_live_', `svc_prod_${'0'.repeat(49)}`, `${createApiKey('live')}0`]) {
      expect(parseApiKey(text)).to.equal(null)
    }
  })
})

describe('hashApiKey', () => {
  it('returns the SHA-256 of the whole key', () => {
    const key = createApiKey('test')
    expect(hashApiKey(key)).to.deep.equal(createHash('sha256').update(key, 'utf8').digest())
  })
})
