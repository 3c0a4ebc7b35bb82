/** The contract of forges, at a server that its user names (`forge-try.ts`). */
import { forgeContract } from '../../server/testing/forge.contract.ts';
import { openRemote } from '../../server/testing/remote-forge.ts';
import { namedHost } from './named-host.ts';

forgeContract(namedHost.kind, (files) => openRemote(namedHost, files));
