import { expect } from 'chai'
import { type Address, checksum, parseEvmAddress } from '../../../shared/domain/address.ts'
import {
  findAddressFamily,
  parseAddress,
  presentAddress,
} from '../../../shared/domain/chain-families/chain-families.ts'
import { formatTronAddress, parseTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'

/** Examples from EIP-55. */
const CHECKSUMMED = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
]

const TRON_USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const TRON_USDT_BYTES = '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c' as Address

describe('parseEvmAddress', () => {
  for (const text of CHECKSUMMED) {
    it(`parses ${text} as written, in lower case and in upper case`, () => {
      const lower = text.toLowerCase()
      expect(parseEvmAddress(text)).to.equal(lower)
      expect(parseEvmAddress(lower)).to.equal(lower)
      expect(parseEvmAddress(`0x${text.slice(2).toUpperCase()}`)).to.equal(lower)
    })
  }

  it('rejects mixed case with a wrong checksum', () => {
    expect(parseEvmAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD')).to.equal(null)
  })

  for (const text of [
    '',
    '0x',
    'de709f2102306220921060314715629080e2fb77',
    `0x${'0'.repeat(39)}`,
    `0x${'g'.repeat(40)}`,
  ]) {
    it(`rejects ${JSON.stringify(text)}`, () => expect(parseEvmAddress(text)).to.equal(null))
  }
})

describe('checksum', () => {
  for (const text of CHECKSUMMED) {
    it(`returns ${text}`, () => expect(checksum(text.toLowerCase() as Address)).to.equal(text))
  }
})

describe('TRON addresses', () => {
  it('are parsed to 20 bytes and formatted back', () => {
    expect(parseTronAddress(TRON_USDT)).to.equal(TRON_USDT_BYTES)
    expect(formatTronAddress(TRON_USDT_BYTES)).to.equal(TRON_USDT)
  })

  it('are rejected with a wrong checksum, prefix, length or character', () => {
    const wrong = [
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u',
      // Bitcoin's genesis address: base58check with another prefix.
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      TRON_USDT.slice(0, -1),
      `${TRON_USDT.slice(0, -1)}0`,
    ]
    for (const text of wrong) expect(parseTronAddress(text)).to.equal(null)
  })
})

describe('findAddressFamily', () => {
  it('returns evm, tron, or null for any other text', () => {
    expect(findAddressFamily(TRON_USDT_BYTES)).to.equal('evm')
    expect(findAddressFamily(TRON_USDT)).to.equal('tron')
    expect(findAddressFamily('nowhere')).to.equal(null)
  })
})

describe('parseAddress and presentAddress', () => {
  it('parse a TRON address, and format an address in a family’s notation', () => {
    expect(parseAddress(TRON_USDT)).to.equal(TRON_USDT_BYTES)
    expect(presentAddress(TRON_USDT_BYTES, 'tron')).to.equal(TRON_USDT)
    expect(presentAddress(TRON_USDT_BYTES, 'evm')).to.equal('0xa614f803B6FD780986A42c78Ec9c7f77e6DeD13C')
  })
})
