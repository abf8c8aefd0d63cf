import { expect } from 'chai'
import { InsecureUrl, requirePrivateUrl } from '../../../api/client/require-private-url.ts'

const PRIVATE = [
  'https://pay.example',
  'wss://node.example/key',
  'http://localhost:3000',
  'http://127.0.0.1:3000',
  'http://127.9.8.7',
  'http://[::1]:3000/',
  'http://2130706433/', // 127.0.0.1, written as one number.
]
const EXPOSED = [
  'http://pay.example',
  'ws://node.example',
  'http://10.0.0.1:8545',
  'http://localhost.example',
  'http://127.0.0.1.example',
  'http://127.0.0.1@pay.example',
  'http://[::ffff:10.0.0.1]',
]

describe('requirePrivateUrl', () => {
  for (const url of PRIVATE) {
    it(`accepts a URL that stays on this machine or is encrypted: ${url}`, () =>
      requirePrivateUrl('KEEPER_API_URL', url))
  }

  for (const url of EXPOSED) {
    it(`rejects plain http to another machine: ${url}`, () => {
      expect(() => requirePrivateUrl('KEEPER_API_URL', url)).to.throw(InsecureUrl, 'KEEPER_API_URL goes to')
    })
  }
})
