# Follows one task with the Socket.IO client of another language: listen.py URL TRANSPORT TASK_ID
# Prints the answer to the join and then every event, one JSON value a line, until an event says that the task is done.
import asyncio
import json
import sys

import socketio


async def main(url, transport, task_id):
    client = socketio.AsyncClient(reconnection=False)
    done = asyncio.Event()

    def tell(value):
        print(json.dumps(value), flush=True)

    @client.on("progress")
    def on_progress(event):
        tell({"event": event})
        if event["done"]:
            done.set()

    await client.connect(url, transports=[transport], wait_timeout=20)
    tell({"answer": await client.call("join", task_id)})
    await done.wait()
    await client.disconnect()


asyncio.run(main(*sys.argv[1:]))
