import { expect } from 'chai'
import * as fc from 'fast-check'
import { TronWeb, utils } from 'tronweb'
import { keccak256, toHex } from 'viem'

import type { Address, Hex } from '../../../shared/domain/address.ts'
import { formatTronAddress, parseTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import {
  tronCreate2Address,
  tronDeployedAddress,
} from '../../../shared/domain/chain-families/tron/contract-address.ts'

const bytes = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((array): Hex => `0x${Buffer.from(array).toString('hex')}`)

const addresses = bytes(20).map((hex) => hex as Address)

describe('TRON addresses, compared with tronweb', () => {
  it('are formatted and parsed as in tronweb', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const text = TronWeb.address.fromHex(`41${address.slice(2)}`)
        expect(formatTronAddress(address)).to.equal(text)
        expect(parseTronAddress(text)).to.equal(address)
      }),
    )
  })

  it('are valid if and only if tronweb considers them valid', () => {
    const texts = fc.oneof(
      fc.string(),
      addresses.map(formatTronAddress),
      fc
        .tuple(addresses.map(formatTronAddress), fc.nat(33), fc.constantFrom(...'19AZaz'.split('')))
        .map(([text, place, letter]) => text.slice(0, place) + letter + text.slice(place + 1)),
    )
    // tronweb also accepts hex forms, which the API rejects.
    const isText = (text: string) => text.startsWith('T') && TronWeb.isAddress(text)
    fc.assert(
      fc.property(texts, (text) => {
        expect(parseTronAddress(text) !== null).to.equal(isText(text))
      }),
    )
  })

  it('are derived for CREATE2 as in tronweb', () => {
    fc.assert(
      fc.property(addresses, bytes(32), bytes(40), (deployer, salt, initCode) => {
        const expected = utils.address.getCreate2Address({
          from: formatTronAddress(deployer),
          salt,
          initCode,
        })
        const initCodeHash = keccak256(initCode)
        expect(formatTronAddress(tronCreate2Address({ deployer, salt, initCodeHash }))).to.equal(expected)
      }),
    )
  })

  it('are derived for deployed contracts from transaction and owner as in tronweb', async () => {
    const owner = `0x${'5a'.repeat(20)}` as Address
    const offline = new TronWeb({ fullHost: 'http://127.0.0.1:9' })
    const transaction = await offline.transactionBuilder.createSmartContract(
      { abi: '[]', bytecode: '6000', feeLimit: 1_000_000, name: 'Any', blockHeader: BLOCK_HEADER },
      formatTronAddress(owner),
    )
    const deployed = tronDeployedAddress({ txId: `0x${transaction.txID}`, owner })
    expect(`41${deployed.slice(2)}`).to.equal(transaction.contract_address)
  })
})

/** The block reference that tronweb would otherwise request from a node. */
const BLOCK_HEADER = {
  ref_block_bytes: toHex(1, { size: 2 }).slice(2),
  ref_block_hash: 'ab'.repeat(8),
  expiration: 1_900_000_000_000,
  timestamp: 1_899_999_940_000,
}
