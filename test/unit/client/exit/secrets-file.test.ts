import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { exit } from '../../../../api/client/commands/exit.ts'
import { CommandError } from '../../../../shared/runtime/command-line.ts'
import { temporaryDirectory } from '../../../support/temporary-directory.ts'

describe('the file of webhook secrets', () => {
  it('is refused if it contains no secret, because unsigned records would be accepted', async () => {
    const directory = await temporaryDirectory('exit-secrets')
    const [archive, file] = [join(directory, 'kept'), join(directory, 'secrets')]
    await mkdir(archive)
    const paths = ['--archive', archive, '--webhook-secrets-file', file]
    for (const text of ['', '\n \n']) {
      await writeFile(file, text)
      // The file is read before any request is sent.
      const exiting = exit([...paths, '--payout', `0x${'11'.repeat(20)}`, '--rpc', 'http://127.0.0.1:9'])
      const error = await exiting.catch((thrown: unknown) => thrown)
      expect(error)
        .to.be.instanceOf(CommandError)
        .and.to.include({ message: `--webhook-secrets-file ${file} contains no secret` })
    }
  })
})
