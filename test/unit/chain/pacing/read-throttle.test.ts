import { expect } from 'chai'
import { readHttpThrottle, readRpcThrottle } from '../../../../shared/chain/pacing/read-throttle.ts'

const NOW = new Date('2026-11-27T12:00:00Z')

describe('a demand for fewer requests', () => {
  const readHttp = (status: number, text = '', headers: Readonly<Record<string, string>> = {}) =>
    readHttpThrottle({ status, text, headers: new Headers(headers) }, NOW)

  it('is a response with status 429, with the seconds of Retry-After', () => {
    expect(readHttp(429)).to.deep.equal({ retryAfterMs: null })
    expect(readHttp(429, '', { 'Retry-After': '7' })).to.deep.equal({ retryAfterMs: 7_000 })
    expect(readHttp(429, '', { 'Retry-After': ' 1.5 ' })).to.deep.equal({ retryAfterMs: 1_500 })
  })

  it('lasts until the date of Retry-After, counted from the response’s Date header or else from our clock', () => {
    const at = 'Fri, 27 Nov 2026 12:00:30 GMT'
    expect(readHttp(429, '', { 'Retry-After': at })).to.deep.equal({ retryAfterMs: 30_000 })
    const fast = { 'Retry-After': at, Date: 'Fri, 27 Nov 2026 12:00:20 GMT' }
    expect(readHttp(429, '', fast)).to.deep.equal({ retryAfterMs: 10_000 })
    const past = 'Fri, 27 Nov 2026 11:00:00 GMT'
    expect(readHttp(429, '', { 'Retry-After': past })).to.deep.equal({ retryAfterMs: 0 })
  })

  it('names no time if Retry-After is malformed', () => {
    for (const text of ['soon', '-5', '1e9', '9'.repeat(400)])
      expect(readHttp(429, '', { 'Retry-After': text }), text).to.deep.equal({ retryAfterMs: null })
  })

  it('is a response with status 503 only if it names a time', () => {
    expect(readHttp(503, '', { 'Retry-After': '2' })).to.deep.equal({ retryAfterMs: 2_000 })
    expect(readHttp(503, 'down for maintenance')).to.equal(null)
  })

  it('is a response with status 403, such as TronGrid’s, only if its text is about a limit', () => {
    const text =
      '{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 5s","StatusCode":403}'
    expect(readHttp(403, text)).to.deep.equal({ retryAfterMs: 5_000 })
    expect(readHttp(403, 'Exceeded the maximum limit of requests')).to.deep.equal({ retryAfterMs: null })
    expect(readHttp(403, 'invalid API key')).to.equal(null)
  })

  it('is not a response with any other status', () => {
    for (const status of [400, 401, 404, 500, 502]) expect(readHttp(status, 'rate limit')).to.equal(null)
  })

  it('is the JSON-RPC error -32005, with the time that some providers name', () => {
    const error = { code: -32005, message: 'daily request count exceeded, request rate limited' }
    expect(readRpcThrottle(error)).to.deep.equal({ retryAfterMs: null })
    expect(readRpcThrottle({ ...error, data: { rate: { backoff_seconds: 30 } } })).to.deep.equal({
      retryAfterMs: 30_000,
    })
  })

  it('includes errors with a provider’s own code or text', () => {
    for (const error of [
      { code: 429, message: 'Your app has exceeded its compute units per second capacity' },
      { code: -32016, message: 'over rate limit' },
      { code: -32007, message: '50/second request limit reached - reduce calls per second' },
      { code: -32000, message: 'Too Many Requests' },
      'class java.lang.IllegalAccessException : lack of computing resources',
    ])
      expect(readRpcThrottle(error), JSON.stringify(error)).to.deep.equal({ retryAfterMs: null })
  })

  it('is not an error about a response that would be too long, regardless of the error’s code', () => {
    for (const message of [
      'query returned more than 10000 results',
      'exceed max block range: 5000',
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range',
    ])
      expect(readRpcThrottle({ code: -32005, message }), message).to.equal(null)
  })

  it('is neither a revert nor an error unrelated to the request rate', () => {
    for (const error of [
      { code: 3, message: 'execution reverted: transfer amount exceeds balance', data: '0x' },
      { code: -32000, message: 'nonce too low' },
      { code: -32000, message: 'gas limit exceeds the block' },
      { code: 3, message: 'execution reverted: rate limit exceeded' },
      'REVERT opcode executed: too many requests',
      { code: -32602, message: 'invalid blockHash' },
      null,
      undefined,
    ])
      expect(readRpcThrottle(error), JSON.stringify(error)).to.equal(null)
  })
})
