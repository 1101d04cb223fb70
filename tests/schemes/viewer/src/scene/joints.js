if (joint.kind === 'socket') draw()
