import { expect } from 'chai'
import { createTranslator, type Statements } from './statements.ts'
import { createRequestReader, type Message, readMessages } from './wire.ts'

describe('the statements of a session', () => {
  it('are prepared once, even if the first rollback of the session ends a failed transaction', () => {
    const statements: Statements = new Map()
    const session = { prepared: new Set<string>(), hasFailed: () => true }
    expect(ask('first', session)).to.equal('PDBES')
    expect(ask('second', { ...session, hasFailed: () => false })).to.equal('BES')
    expect(ask('third', session)).to.equal('BES')

    /** Sends a rollback through a new connection, and returns the types of the messages that the session receives. */
    function ask(clientName: string, asked: typeof session): string {
      const { translate } = createTranslator(statements)
      const [request] = createRequestReader()(Buffer.concat([STARTUP, rollback(clientName)]))?.slice(1) ?? []
      if (request === undefined) throw new Error('the request is incomplete')
      const { bytes, toAnswer } = translate(request, asked)
      const types = readMessages(bytes).messages.map(({ type }) => type)
      const answered = types.includes('P') ? ANSWER : ANSWER.filter(({ type }) => !'1tn'.includes(type))
      const told = toAnswer(answered).map(({ type }) => type)
      expect(told.join('')).to.equal('1tn2CZ')
      return types.join('')
    }
  })
})

const STARTUP = Buffer.from([0, 0, 0, 4])
const ANSWER: readonly Message[] = '1tn2CZ'.split('').map((type) => ({ type, bytes: messageOf(type, '') }))

/** Returns the messages with which the driver prepares, describes and executes a rollback at once. */
function rollback(name: string): Buffer {
  return Buffer.concat([
    messageOf('P', `${name}\0rollback\0\0\0`),
    messageOf('D', `S${name}\0`),
    messageOf('B', `\0${name}\0\0\0\0\0\0\0`),
    messageOf('E', '\0\0\0\0\0'),
    messageOf('S', ''),
  ])
}

function messageOf(type: string, body: string): Buffer {
  const message = Buffer.alloc(5 + body.length)
  message.write(type, 0, 'latin1')
  message.writeUInt32BE(body.length + 4, 1)
  message.write(body, 5, 'latin1')
  return message
}
