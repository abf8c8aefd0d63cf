import { expect } from 'chai'
import { utils } from 'tronweb'
import { privateKeyToAccount } from 'viem/accounts'

import type { Address, Hex } from '../../../shared/domain/address.ts'
import { readMessage, writeFields } from '../../../shared/domain/chain-families/tron/protobuf.ts'
import {
  decodeTronCall,
  encodeSignedTransaction,
  encodeTronCall,
  type TronCall,
  toReferenceBlock,
  tronTransactionId,
} from '../../../shared/domain/chain-families/tron/raw-transaction.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { createRandom } from '../../support/seeded-random.ts'

const { privateKey, address } = ACCOUNTS.relayer
const OWNER = address.toLowerCase() as Address
const FACTORY = `0x${'fa'.repeat(20)}` as Address

const CALL: TronCall = {
  ...{ owner: OWNER, to: FACTORY, data: '0xa9059cbb00ff', valueSun: 0n },
  ...toReferenceBlock({ number: 76_543_210, id: `0x00000000048ff4ea${'5b'.repeat(24)}` }),
  ...{ expirationMs: 1_795_000_120_000n, timestampMs: 1_795_000_000_000n, feeLimitSun: 51_234_500n },
}

describe('a TRON transaction', () => {
  it('has the same bytes, id and signature as in tronweb, for random calls', async () => {
    const random = createRandom(20_261_122)
    const bytes = (most: number): Hex => {
      const length = random.integer(most)
      const digits = Array.from({ length }, () => random.integer(256).toString(16).padStart(2, '0'))
      return `0x${digits.join('')}`
    }
    for (let round = 0; round < 30; round += 1) {
      const call = { ...CALL, data: bytes(600), feeLimitSun: BigInt(random.integer(15_000_000_000)) }
      const theirs = theirsOf(call)
      const rawData = encodeTronCall(call)
      expect(rawData).to.equal(`0x${utils.transaction.txPbToRawDataHex(theirs.pb).toLowerCase()}`)
      expect(tronTransactionId(rawData)).to.equal(utils.transaction.txPbToTxID(theirs.pb))
      const signature = await privateKeyToAccount(privateKey).sign({ hash: tronTransactionId(rawData) })
      const json = {
        ...theirs.json,
        txID: tronTransactionId(rawData).slice(2),
        raw_data_hex: rawData.slice(2),
      }
      const signed = utils.crypto.signTransaction(privateKey.slice(2), json)
      expect(signature.slice(2)).to.equal(signed.signature?.[0]?.toLowerCase())
      theirs.pb.addSignature(Uint8Array.from(Buffer.from(signature.slice(2), 'hex')))
      const whole = Buffer.from(theirs.pb.serializeBinary()).toString('hex')
      expect(encodeSignedTransaction({ rawData, signature })).to.equal(`0x${whole}`)
    }
  })

  it('references a block by two bytes of its number and eight bytes of its id, as TaPoS requires', () => {
    expect(
      toReferenceBlock({ number: 0x1_00_0a, id: `0x${'11'.repeat(8)}${'22'.repeat(8)}${'33'.repeat(16)}` }),
    ).to.deep.equal({ refBlockBytes: '0x000a', refBlockHash: `0x${'22'.repeat(8)}` })
  })

  it('is decoded to the call that was encoded', () => {
    expect(decodeTronCall(encodeTronCall(CALL))).to.deep.equal(CALL)
    expect(decodeTronCall(encodeTronCall({ ...CALL, data: '0x', feeLimitSun: 0n }))).to.deep.equal({
      ...{ ...CALL, data: '0x', feeLimitSun: 0n },
    })
  })

  it('is not decoded if encodeTronCall could not have created it', () => {
    const fields = readMessage(encodeTronCall(CALL))
    const memo = writeFields([...fields, [10, '0x6869']])
    const twice = writeFields([...fields, ...fields.filter(([number]) => number === 11)])
    const permission = writeFields(
      fields.map(([number, value]) =>
        number === 11
          ? ([number, writeFields([...readMessage(value as Hex), [5, 2n]])] as const)
          : ([number, value] as const),
      ),
    )
    const transfer = encodeTronCall(CALL).replace('5472696767657253', '5472616e73666572') as Hex
    const cut = encodeTronCall(CALL).slice(0, -2) as Hex
    for (const bytes of [memo, twice, permission, transfer, cut, '0x', '0xff'] as const)
      expect(decodeTronCall(bytes), bytes).to.equal(null)
  })
})

/** Returns the transaction that tronweb builds for the call, with tronweb's address prefix 41. */
function theirsOf(call: TronCall) {
  const json = {
    ...{ visible: false, txID: '', raw_data_hex: '' },
    raw_data: {
      contract: [
        {
          parameter: {
            value: {
              owner_address: `41${call.owner.slice(2)}`,
              contract_address: `41${call.to.slice(2)}`,
              data: call.data.slice(2),
            },
            type_url: 'type.googleapis.com/protocol.TriggerSmartContract',
          },
          type: 'TriggerSmartContract',
        },
      ],
      ...{ ref_block_bytes: call.refBlockBytes.slice(2), ref_block_hash: call.refBlockHash.slice(2) },
      ...{ expiration: Number(call.expirationMs), timestamp: Number(call.timestampMs) },
      fee_limit: Number(call.feeLimitSun),
    },
  }
  return { json, pb: utils.transaction.txJsonToPb(json) }
}
